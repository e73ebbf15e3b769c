/** Whether the current entry of the history was only added so that Back closes what is open (`back-closes.ts`). */
export const backEntry = { isCurrent: false }
