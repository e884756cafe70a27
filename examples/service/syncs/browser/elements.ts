/** Only what changes is written, so that selections stay, and nothing is read out twice. */
export function setText(element: Element | null, text: string): void {
  if (element !== null && element.textContent !== text) element.textContent = text;
}

/** The page as it is now, unless there is none for this visitor any more. */
export async function loadAgain(): Promise<Document | undefined> {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!response.ok || response.redirected) return undefined;
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** Takes the parts of this page marked with `data-live` from a newer one. The focus stays, and what is open stays open. */
export function takeOver(newer: Document, parts = '[data-live]'): void {
  for (const part of document.querySelectorAll<HTMLElement>(parts)) {
    const found = newer.querySelector(`[data-live="${part.dataset.live}"]`);
    if (found === null) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const isOpen = part.querySelector('details[open]') !== null;
    part.replaceChildren(...found.childNodes);
    const details = part.querySelector('details');
    if (details !== null) details.open = isOpen;
    if (focused !== null) sameAs(focused, part)?.focus();
  }
}

/** The element that has taken another one's place, or else the first that can be used. */
function sameAs(old: Element, part: HTMLElement): HTMLElement | undefined {
  const usable = [...part.querySelectorAll<HTMLElement>('a[href], button, summary, [tabindex]')];
  const sign = (element: Element) => `${element.tagName} ${element.getAttribute('href')} ${element.textContent}`;
  return usable.find((element) => sign(element) === sign(old)) ?? usable[0];
}
