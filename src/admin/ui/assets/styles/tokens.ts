/** Every color, size and typeface of the administration UI. A color is `[light, dark]`. */
export const colors = {
  canvas: ['#f8f8f6', '#121211'],
  surface: ['#ffffff', '#1a1a18'],
  'surface-raised': ['#ffffff', '#222220'],
  'surface-chosen': ['#ffffff', '#3b3a36'],
  'surface-sunken': ['#f2f2ef', '#232321'],
  'surface-hover': ['#f7f7f4', '#20201e'],
  line: ['#e5e4df', '#30302c'],
  'line-strong': ['#8b8982', '#77756d'],
  text: ['#1c1b19', '#edebe6'],
  'text-muted': ['#5f5c55', '#aba79e'],
  accent: ['#2d4fc4', '#a3b5ff'],
  'accent-soft': ['#eef2fe', '#222a48'],
  'accent-fill': ['#2f52cc', '#4a66dd'],
  'accent-fill-hover': ['#2541a8', '#5772e6'],
  'on-accent-fill': ['#ffffff', '#ffffff'],
  success: ['#17663a', '#84d8a5'],
  'success-soft': ['#e7f5ec', '#15291d'],
  'success-line': ['#b9dfc8', '#26492f'],
  warning: ['#80480a', '#f1c36a'],
  'warning-soft': ['#fdf4e0', '#2c2312'],
  'warning-line': ['#f0d8a6', '#554220'],
  danger: ['#ab2318', '#ffa59b'],
  'danger-soft': ['#fdedeb', '#351a17'],
  'danger-line': ['#f2c5c0', '#5e2d28'],
  'danger-fill': ['#bb271b', '#b9382c'],
  'danger-fill-hover': ['#981d13', '#c9473a'],
  'on-danger-fill': ['#ffffff', '#ffffff'],
  neutral: ['#57544e', '#b9b5ac'],
  'neutral-soft': ['#efeeea', '#2a2a27'],
  'neutral-line': ['#dcdad4', '#3c3b37'],
  shade: ['rgb(28 27 25 / 42%)', 'rgb(0 0 0 / 62%)'],
  'shadow-color': ['rgb(28 27 25 / 9%)', 'rgb(0 0 0 / 45%)'],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

const measures = {
  'space-1': '0.25rem',
  'space-2': '0.5rem',
  'space-3': '0.75rem',
  'space-4': '1rem',
  'space-5': '1.5rem',
  'space-6': '2rem',
  'space-7': '3rem',
  radius: '0.5rem',
  'radius-large': '0.75rem',
  'control-height': '2.25rem',
  'text-small': '0.8125rem',
  'text-body': '0.875rem',
  'text-large': '1rem',
  'text-title': '1.375rem',
  'page-width': '80rem',
  'form-width': '42rem',
  // Whatever the system offers; Inter where it is installed and the system has no face of its own.
  sans: '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Inter, "Noto Sans", "Liberation Sans", system-ui, sans-serif',
  mono: 'ui-monospace, "SF Mono", SFMono-Regular, Menlo, "Cascadia Mono", Consolas, "Liberation Mono", monospace',
} as const;

export function declarations(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');
}

function palette(theme: 0 | 1): string {
  return declarations(Object.fromEntries(Object.entries(colors).map(([name, pair]) => [name, pair[theme]])));
}

export const tokenStyles = /* css */ `
:root { color-scheme: light dark; ${declarations(measures)} ${palette(0)} }
@media (prefers-color-scheme: dark) { :root { ${palette(1)} } }
`;
