import { applyUpdate, type PictureData } from '../picture/model.js';
import type { RunUpdate } from '../run.js';
import { loadAgain, setText, takeOver } from './elements.js';
import { Picture } from './picture.js';

/**
 * Follows the stream of the page. While the page is not seen there is none: a browser keeps only a few connections to one
 * address, and tabs in the background would use them all up.
 */
export function follow(root: HTMLElement): void {
  const address = root.dataset.picture ?? '';
  const isOfOneRun = new URL(address, location.href).searchParams.has('run');
  let picture = new Picture(root);
  let data: PictureData | undefined;
  let source: EventSource | undefined;
  let isRenewing = false;

  const close = () => {
    source?.close();
    source = undefined;
  };

  const signedOut = () => {
    close();
    picture.stop();
    tell('Your sign-in has ended, so this page stands still.', { href: location.href, text: 'Sign in again' });
  };

  /** The page has to show another run, or other buttons. */
  const renew = async () => {
    if (isRenewing) return;
    isRenewing = true;
    try {
      const newer = await loadAgain();
      if (newer === undefined) return;
      takeOver(newer);
      const newRoot = document.querySelector<HTMLElement>('[data-picture]');
      if (newRoot === null) return;
      picture.stop();
      picture = new Picture(newRoot);
      if (data !== undefined) picture.show(data);
    } catch {
      // The stream says that the connection is lost, and the next update that something is still to be done.
    } finally {
      isRenewing = false;
    }
  };

  const open = () => {
    source = new EventSource(address);
    source.addEventListener('open', () => tell(''));
    source.addEventListener('signed-out', signedOut);
    source.addEventListener('error', () => {
      // The browser gives up when the response is not a stream.
      if (source?.readyState === EventSource.CLOSED) signedOut();
      else tell('The connection is lost. Trying again …');
    });
    source.addEventListener('update', (event) => {
      const update = JSON.parse((event as MessageEvent<string>).data) as RunUpdate;
      data = applyUpdate(data, update);
      picture.setClock(update.nowMs);
      picture.show(data);
      if (!picture.fits(data)) void renew();
      if (isOfOneRun && update.run.state !== 'running') close();
    });
  };

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close();
    else if (source === undefined) open();
  });
  if (!document.hidden) open();
}

function tell(text: string, link?: { href: string; text: string }): void {
  const note = document.querySelector<HTMLElement>('[data-lost]');
  if (note === null) return;
  note.hidden = text === '';
  setText(note, text);
  if (link === undefined) return;
  const anchor = document.createElement('a');
  anchor.href = link.href;
  anchor.textContent = link.text;
  note.append(' ', anchor);
}
