/** Opens the menu of the selection at a point of the window. Set when the code of the actions is loaded. */
export const itemMenuSlot = { show: (_x: number, _y: number): void => {} }
