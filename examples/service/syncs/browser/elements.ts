/** Only what changes is written, so that selections stay, and nothing is read out twice. */
export function setText(element: Element | null, text: string): void {
  if (element !== null && element.textContent !== text) element.textContent = text;
}

/** Takes the parts of this page marked with `data-live` from a newer one. The focus stays, and what is open stays open. */
export function takeOver(newer: Document): void {
  for (const part of document.querySelectorAll<HTMLElement>('[data-live]')) {
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
