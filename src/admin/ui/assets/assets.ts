import { createHash } from 'node:crypto';
import type { AdminBranding } from '../../branding.js';
import { script } from './script.js';
import { accentStyles } from './styles/accent.js';
import { stylesheet } from './styles/index.js';

export interface Asset {
  /** Contains a hash of the content, so that browsers may cache it forever. */
  readonly name: string;
  readonly type: string;
  readonly etag: string;
  readonly content: string;
}

export function asset(name: string, type: string, content: string): Asset {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16);
  return { name: name.replace('.', `.${hash}.`), type: `${type}; charset=utf-8`, etag: `"${hash}"`, content };
}

/** Two interlocked key bows. */
const brandIcon = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="${color}" stroke-width="2.5"><circle cx="9" cy="12" r="5.75"/><circle cx="15" cy="12" r="5.75"/></svg>`;

export function createAssets({ accent, logo }: AdminBranding) {
  const styles = accent === undefined ? stylesheet : stylesheet + accentStyles(accent);
  const icon = logo ?? brandIcon(accent ?? '#4a66dd');
  return {
    stylesheet: asset('admin.css', 'text/css', styles),
    script: asset('admin.js', 'text/javascript', script),
    /** The icon of the browser's tab; `undefined` where the host's logo is an address. */
    icon: icon.startsWith('data:') ? undefined : asset('icon.svg', 'image/svg+xml', icon),
  };
}

export function assetResponse({ type, etag, content }: Asset, ifNoneMatch = ''): Response {
  const headers = {
    'content-type': type,
    etag,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  };
  const unchanged = ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  return unchanged ? new Response(null, { status: 304, headers }) : new Response(content, { headers });
}
