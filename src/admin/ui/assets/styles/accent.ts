import { colors, declarations } from './tokens.js';

type Color = readonly [red: number, green: number, blue: number];

const white: Color = [255, 255, 255];
const black: Color = [0, 0, 0];
const readable = 4.5;

/** The tokens of an accent color (`#rrggbb`) for both themes, readable as text on every surface, and below text. */
export function accentStyles(accent: string): string {
  const [light, dark] = [tokensFor(parse(accent), 0), tokensFor(parse(accent), 1)].map(declarations);
  return `:root { ${light} }\n@media (prefers-color-scheme: dark) { :root { ${dark} } }\n`;
}

function tokensFor(accent: Color, theme: 0 | 1): Record<string, string> {
  const surface = parse(colors.surface[theme]);
  const far = theme === 0 ? black : white;
  const soft = mix(surface, accent, theme === 0 ? 0.08 : 0.2);
  // Links lie on the surfaces, the current menu entry on the soft accent.
  const grounds = [surface, parse(colors['surface-sunken'][theme]), soft];
  const text = towards(accent, far, (color) => grounds.every((ground) => contrast(color, ground) >= readable));
  const on = contrast(white, accent) >= readable ? white : black;
  const fill = towards(accent, on === white ? black : white, (color) => contrast(on, color) >= readable);
  return {
    accent: format(text),
    'accent-soft': format(soft),
    'accent-fill': format(fill),
    'accent-fill-hover': format(mix(fill, on === white ? black : white, 0.15)),
    'on-accent-fill': format(on),
  };
}

/** The color itself, or the first of twenty steps to `end` that is good enough; `end` is at the latest. */
function towards(color: Color, end: Color, isGood: (color: Color) => boolean): Color {
  const steps = Array.from({ length: 21 }, (_, step) => mix(color, end, step / 20));
  return steps.find(isGood) ?? end;
}

function mix(first: Color, second: Color, share: number): Color {
  return first.map((value, index) => Math.round(value + ((second[index] ?? 0) - value) * share)) as unknown as Color;
}

/** WCAG 2.2, contrast ratio. */
function contrast(first: Color, second: Color): number {
  const [darker, lighter] = [luminance(first), luminance(second)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: Color): number {
  const [red, green, blue] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Color;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function parse(color: string): Color {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function format([red, green, blue]: Color): string {
  return `#${((red << 16) | (green << 8) | blue).toString(16).padStart(6, '0')}`;
}
