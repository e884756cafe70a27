import { loadAgain, takeOver } from './elements.js';
import { follow } from './follow.js';

// Conveniences only: without script, the page is loaded again instead.
const root = document.querySelector<HTMLElement>('[data-picture]');
if (root !== null) follow(root);

// What workers say of themselves is not in the stream.
const workers = '[data-live="workers"]';
const workersMs = 5000;
if (document.querySelector(workers) !== null) {
  setInterval(async () => {
    const newer = document.hidden ? undefined : await loadAgain().catch(() => undefined);
    if (newer !== undefined) takeOver(newer, workers);
  }, workersMs);
}
