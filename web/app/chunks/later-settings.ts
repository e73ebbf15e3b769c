// One chunk for the settings: only who changes something fetches it.
export { SettingsFrame } from '#web/app/pages/settings-frame.tsx'
