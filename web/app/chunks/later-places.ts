// One chunk for the pages of starred and recent files. Only users who open them load it.
export { PlacesFrame } from '#web/app/pages/places-frame.tsx'
