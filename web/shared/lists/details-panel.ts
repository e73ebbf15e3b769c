import { proxy } from 'valtio'
import { readStored } from '#web/shared/preferences.ts'

/** Whether the panel with the properties of the selection is open. It is remembered on this device. */
export const detailsPanel = proxy({ isOpen: readStored('details') === 'on' })
