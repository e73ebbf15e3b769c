/**
 * Returns text of a file as it is printed: shortened, and without characters that a terminal would obey or hide.
 *
 * @param most maximum number of characters
 */
export function shown(text: string, most = 80): string {
  // Cut first, because a file may contain a very long text.
  const characters = [...text.slice(0, 4 * most).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('')
}
