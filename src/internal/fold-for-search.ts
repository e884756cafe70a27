/** The form in which texts are searched and sorted: case and compatibility variants do not matter. */
export function foldForSearch(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
