// One chunk for the settings. Only users who open the settings load it.
export { SettingsFrame } from '#web/app/pages/settings/settings-frame.tsx'
