import { option, optionsOf, type ShapeOf } from '../internal/index.js';

/** The name and the look of your product, in place of Concordat's. */
export interface AdminBranding {
  /** In titles, on the sign-in page, in the header, and as the name of the MCP server. @default 'Concordat' */
  readonly name?: string | undefined;
  /**
   * An SVG (`<svg …`), or a picture as a `data:image/…` address; also the icon of the browser's tab. Shown as a picture,
   * so that no script in it runs.
   * @default Concordat's
   */
  readonly logo?: string | undefined;
  /**
   * The color of buttons and links, such as `#0b7a5c`. It is made darker or lighter where text on it or in it would not
   * be readable (4.5:1, WCAG 1.4.3).
   * @default '#2f52cc'
   */
  readonly accent?: string | undefined;
}

export const brandingOption = optionsOf({
  name: option<string>(
    (value) => typeof value === 'string' && value.trim() !== '' && value.length <= 100,
    'must be text of at most 100 characters',
    true,
  ).default('Concordat'),
  logo: option<string>(
    (value) => typeof value === 'string' && /^(?:\s*<(?:svg|\?xml)[\s>]|data:image\/)/.test(value),
    'must be an SVG, or an address that begins with `data:image/`',
  ).optional(),
  accent: option<string>(
    (value) => typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value),
    'must be a color such as `#0b7a5c`',
    true,
  ).optional(),
} satisfies ShapeOf<AdminBranding>);
