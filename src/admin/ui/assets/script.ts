/** The only script, for convenience. A string: a bundler may rewrite functions into what browsers do not run. */
export const script = /* js */ `'use strict';
{
  const all = (selector) => [...document.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);

  // A link that opens a dialog also has its own page. The dialog takes its values from the link.
  for (const opener of all('[data-dialog]')) {
    const dialog = document.getElementById(opener.dataset.dialog);
    opener.setAttribute('aria-haspopup', 'dialog');
    opener.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      for (const slot of dialog.querySelectorAll('[data-slot]')) {
        slot.textContent = opener.dataset[slot.dataset.slot] || '';
      }
      dialog.querySelector('form').action = opener.href;
      for (const input of dialog.querySelectorAll('input:not([type="hidden"])')) input.value = '';
      dialog.showModal();
    });
  }
  for (const closer of all('dialog [data-close]')) {
    closer.addEventListener('click', () => closer.closest('dialog').close());
  }
  for (const dialog of all('dialog')) {
    let pressed;
    dialog.addEventListener('pointerdown', ({ target }) => { pressed = target; });
    // Of a selection that ends beside the dialog, the target is the dialog, too.
    dialog.addEventListener('click', ({ target }) => {
      if (target === dialog && pressed === dialog) dialog.close();
    });
  }

  // A second click must not send a form twice: the first response may contain a key, which is shown only once.
  for (const form of all('form[method="post"]')) {
    form.addEventListener('submit', (event) => {
      if (form.dataset.sent) event.preventDefault();
      form.dataset.sent = 'yes';
    });
  }
  const allowSending = () => {
    for (const form of all('form[data-sent]')) delete form.dataset.sent;
  };
  addEventListener('pageshow', allowSending);
  // Stopped in the browser. Where it cannot say so, a reload helps.
  if (window.navigation) navigation.addEventListener('navigateerror', allowSending);

  // A form without fields that only leads on: the browser would put a question mark at the end of the address.
  for (const form of all('form[data-plain]')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      location.assign(form.action);
    });
  }

  // Times are in UTC; their titles are in the reader's zone.
  const { lang } = document.documentElement;
  const date = { day: 'numeric', month: 'short', year: 'numeric' };
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short' };
  const local = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { ...date, ...clock });
  for (const time of all('[data-time]')) time.title = local.format(new Date(time.dateTime));

  for (const input of all('input[type="radio"][value="custom"]')) {
    // By pointer only: somebody who moves through the choices with the arrow keys stays among them.
    input.addEventListener('click', (event) => {
      if (event.detail === 0) return;
      const target = document.getElementById('expires-on');
      if (target) target.focus({ preventScroll: true });
    });
  }

  const keyField = one('[data-key]');
  if (keyField) {
    const status = one('[data-copy-status]');
    const stored = one('[data-stored]');
    const leaving = document.getElementById('leave-dialog');
    let mayLeave = false;
    keyField.addEventListener('focus', () => keyField.select());
    keyField.select();

    const copyButton = one('[data-copy]');
    copyButton.hidden = false;
    copyButton.addEventListener('click', async () => {
      status.textContent = '';
      let copied = false;
      try {
        await navigator.clipboard.writeText(keyField.value);
        copied = true;
      } catch {
        // The clipboard API needs https; the old command works elsewhere.
        keyField.select();
        copied = document.execCommand('copy');
      }
      status.textContent = copied ? status.dataset.copied : status.dataset.notCopied;
      if (!copied) keyField.select();
    });

    // A reload must not send the form again: give this page the address of the key.
    history.replaceState(null, '', keyField.dataset.key);
    const safe = () => mayLeave || stored.checked;
    addEventListener('beforeunload', (event) => {
      if (safe()) return;
      event.preventDefault();
      allowSending();
    });
    document.addEventListener('click', (event) => {
      const link = event.target.closest('a[href]');
      if (!link || leaving.contains(link) || safe() || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (link.getAttribute('href').startsWith('#')) return;
      event.preventDefault();
      one('[data-leave]').href = link.href;
      leaving.showModal();
    });
    one('[data-leave]').addEventListener('click', () => { mayLeave = true; });
  }
}
`;
