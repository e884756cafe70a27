// Figures of a command in docs: tables between two marks of a page, and charts that suit light and dark pages.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Replaces what stands between `<!-- figures: COMMAND -->` and `<!-- end of figures -->`, in a new file if need be. */
export function writeFigures(page: string, command: string, tables: string): void {
  const [start, end] = [`<!-- figures: ${command} -->`, '<!-- end of figures -->'];
  const text = existsSync(page) ? readFileSync(page, 'utf8') : `${start}\n${end}\n`;
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${page} has no place for the figures of ${command}`);
  writeFileSync(page, `${text.slice(0, from)}${start}\n\n${tables}\n\n${text.slice(to)}`);
}

export interface Chart {
  readonly id: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly content: readonly string[];
}

/** An SVG. Its content has the classes `axis`, `end` and, for text and lines, `line-0` to `line-2`. */
export function drawChart({ id, title, width, height, content }: Chart): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}" font-family="system-ui, sans-serif" font-size="13">
  <title id="${id}">${title}</title>
  <style>
    svg { color: #1f2328; --one: #2f55d4; --two: #b3261e; --three: #0b7a5c; --paper: #ffffff; }
    @media (prefers-color-scheme: dark) {
      svg { color: #e6e8eb; --one: #8ea6ff; --two: #ff8a80; --three: #5fd3ab; --paper: #14171c; }
    }
    .paper { fill: var(--paper); }
    text { fill: currentColor; }
    text.line-0 { fill: var(--one); } text.line-1 { fill: var(--two); } text.line-2 { fill: var(--three); }
    polyline { fill: none; stroke-width: 1.5; }
    polyline.line-0 { stroke: var(--one); } polyline.line-1 { stroke: var(--two); } polyline.line-2 { stroke: var(--three); }
    .axis { fill: none; stroke: currentColor; opacity: 0.4; }
    .end { text-anchor: end; }
  </style>
  <rect class="paper" width="100%" height="100%" />
  ${content.join('\n  ')}
</svg>
`;
}
