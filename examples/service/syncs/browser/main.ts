import { follow } from './follow.js';

// Conveniences only: without script, the page is loaded again instead.
const root = document.querySelector<HTMLElement>('[data-picture]');
if (root !== null) follow(root);
