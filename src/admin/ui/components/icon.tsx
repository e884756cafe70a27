import { useShown } from '../look.js';

/** Lines in a 16 by 16 square: the `d` of one path each. */
const paths = {
  key: 'M8.5 10.5a3 3 0 1 1-6 0a3 3 0 1 1 6 0M7.7 8.3 13.5 2.5M11 5l2 2',
  history: 'M2.5 8a5.5 5.5 0 1 0 1.7-4L2.5 5.6M2.5 2.5v3.1h3.1M8 5v3.2l2.2 1.3',
  users:
    'M8.5 5.5a2.5 2.5 0 1 1-5 0a2.5 2.5 0 1 1 5 0M1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12.2 10c1.5.6 2.3 1.8 2.3 3.5',
  plus: 'M8 3v10M3 8h10',
  search: 'M11.5 7a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0M10.5 10.5l3 3',
  warning: 'M8 2.2 14.5 13.5h-13ZM8 6.5v3.2M8 11.6v.1',
  info: 'M14 8a6 6 0 1 1-12 0a6 6 0 1 1 12 0M8 7.3v3.6M8 5v.1',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  cross: 'm4.5 4.5 7 7M11.5 4.5l-7 7',
  clock: 'M14 8a6 6 0 1 1-12 0a6 6 0 1 1 12 0M8 4.8V8l2.2 1.4',
  copy: 'M7 5.5h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 12V7A1.5 1.5 0 0 1 7 5.5ZM10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5',
  left: 'M9.5 3.5 5 8l4.5 4.5',
  right: 'M6.5 3.5 11 8l-4.5 4.5',
  arrow: 'M2.5 8h11M9.5 4l4 4-4 4',
  up: 'M8 13V3.5M4 7l4-4 4 4',
  download: 'M8 2.5v7.5M4.5 6.8 8 10.2l3.5-3.4M3 13.5h10',
  down: 'M8 3v9.5M4 9l4 4 4-4',
  sort: 'm5 6.2 3-3 3 3M5 9.8l3 3 3-3',
} as const;

export type IconName = keyof typeof paths;

/** One of ours, or a host's. */
export type IconShape = { name: IconName } | { d: string };

/** Decorative: the text beside it says the same. */
export function Icon({ size = 16, ...shape }: IconShape & { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={'d' in shape ? shape.d : paths[shape.name]} />
    </svg>
  );
}

export function Brand({ size = 24 }: { size?: number }) {
  const { logo } = useShown();
  if (logo !== undefined) return <img class="logo" src={logo} alt="" height={size} />;
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2.25"
      aria-hidden="true"
    >
      <circle cx="9" cy="12" r="5.75" />
      <circle cx="15" cy="12" r="5.75" />
    </svg>
  );
}
