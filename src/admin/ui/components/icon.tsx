import type { PropsWithChildren } from 'hono/jsx';
import { useShown } from '../look.js';

const shapes = {
  key: (
    <>
      <circle cx="5.5" cy="10.5" r="3" />
      <path d="M7.7 8.3 13.5 2.5M11 5l2 2" />
    </>
  ),
  history: (
    <>
      <path d="M2.5 8a5.5 5.5 0 1 0 1.7-4L2.5 5.6M2.5 2.5v3.1h3.1" />
      <path d="M8 5v3.2l2.2 1.3" />
    </>
  ),
  users: (
    <>
      <circle cx="6" cy="5.5" r="2.5" />
      <path d="M1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12.2 10c1.5.6 2.3 1.8 2.3 3.5" />
    </>
  ),
  plus: <path d="M8 3v10M3 8h10" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3 3" />
    </>
  ),
  warning: (
    <>
      <path d="M8 2.2 14.5 13.5h-13Z" />
      <path d="M8 6.5v3.2M8 11.6v.1" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 7.3v3.6M8 5v.1" />
    </>
  ),
  check: <path d="m3 8.5 3.2 3.2L13 4.8" />,
  cross: <path d="m4.5 4.5 7 7M11.5 4.5l-7 7" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.8V8l2.2 1.4" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5" />
    </>
  ),
  left: <path d="M9.5 3.5 5 8l4.5 4.5" />,
  right: <path d="M6.5 3.5 11 8l-4.5 4.5" />,
  arrow: <path d="M2.5 8h11M9.5 4l4 4-4 4" />,
  up: <path d="M8 13V3.5M4 7l4-4 4 4" />,
  download: <path d="M8 2.5v7.5M4.5 6.8 8 10.2l3.5-3.4M3 13.5h10" />,
  down: <path d="M8 3v9.5M4 9l4 4 4-4" />,
  sort: <path d="m5 6.2 3-3 3 3M5 9.8l3 3 3-3" />,
} as const;

export type IconName = keyof typeof shapes;

/** Decorative: the text beside it says the same. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return <Drawing size={size}>{shapes[name]}</Drawing>;
}

/** A host's icon. */
export function LineIcon({ d }: { d: string }) {
  return (
    <Drawing size={16}>
      <path d={d} />
    </Drawing>
  );
}

function Drawing({ size, children }: PropsWithChildren<{ size: number }>) {
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
      {children}
    </svg>
  );
}

/** The logo. */
export function Brand({ size = 24 }: { size?: number }) {
  const { logo } = useShown();
  if (logo !== undefined) return <img class="logo" src={logo} alt="" height={size} />;
  return <OwnBrand size={size} />;
}

function OwnBrand({ size }: { size: number }) {
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
