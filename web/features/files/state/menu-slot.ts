/** Shows the menu of the selection at a point of the window. Filled as soon as the code of the actions is there. */
export const itemMenu = { show: (_x: number, _y: number): void => {} }
