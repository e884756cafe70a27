import { createContext, useContext } from 'hono/jsx';
import type { AdminContext } from '../context.js';
import type { Links } from './addresses/links.js';
import { createAssets } from './assets/assets.js';
import { createDates } from './format/times.js';
import type { PageContext } from './page-context.js';
import { englishTexts } from './texts/english.js';
import type { AdminTexts } from './texts/texts-option.js';

export type Look = ReturnType<typeof createLook>;

/** What every page of one administration has in common: the host's name, its logo, the files. */
export function createLook({ apiKeys, branding, texts: replaced }: AdminContext, links: Links) {
  const texts: AdminTexts = { ...englishTexts, ...replaced };
  const { icon, script, stylesheet } = createAssets(branding);
  const iconAddress = icon === undefined ? (branding.logo as string) : links.asset(icon.name);
  return {
    name: branding.name,
    texts,
    links,
    dates: createDates(texts),
    /** The address of the host's logo; `undefined` for the administration's own. */
    logo: branding.logo === undefined ? undefined : iconAddress,
    icon: iconAddress,
    stylesheet: links.asset(stylesheet.name),
    script: links.asset(script.name),
    /** What keys begin with, such as `ck`. */
    keyPrefix: apiKeys.keyPrefix,
    assets: [stylesheet, script, ...(icon === undefined ? [] : [icon])],
  };
}

/** What all components of one document share: set around it by `render`. A page without a sign-in has only the look. */
export interface Shown extends Look, PageContext {
  /** What the user has just done, in one sentence. */
  readonly flash: string | undefined;
}

export const ShownContext = createContext<Shown | undefined>(undefined);

/** For components. */
export function useShown(): Shown {
  return useContext(ShownContext) as Shown;
}
