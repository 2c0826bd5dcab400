import type { ReactNode } from 'react';

interface Size {
  size?: number;
}

/** A line icon on a 20 × 20 grid, in the colour of the surrounding text. */
function Icon({ size = 20, children }: Size & { children: ReactNode }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

export const HashIcon = (props: Size) => (
  <Icon {...props}>
    <path d="M7.6 3.5 6 16.5M14 3.5l-1.6 13M3.8 7.4h13M3.2 12.6h13" />
  </Icon>
);
export const LockIcon = (props: Size) => (
  <Icon {...props}>
    <rect x="4.5" y="8.8" width="11" height="7.7" rx="1.6" />
    <path d="M6.9 8.8V6.6a3.1 3.1 0 0 1 6.2 0v2.2" />
  </Icon>
);
export const EyeIcon = (props: Size) => (
  <Icon {...props}>
    <path d="M2.5 10S5.2 5 10 5s7.5 5 7.5 5-2.7 5-7.5 5-7.5-5-7.5-5Z" />
    <circle cx="10" cy="10" r="2.2" />
  </Icon>
);
export const HomeIcon = (props: Size) => (
  <Icon {...props}>
    <path d="M3.5 9 10 3.5 16.5 9v7.2h-4.3v-4.4H7.8v4.4H3.5Z" />
  </Icon>
);
export const CloseIcon = (props: Size) => (
  <Icon {...props}>
    <path d="m5 5 10 10M15 5 5 15" />
  </Icon>
);
export const ChevronIcon = (props: Size) => (
  <Icon {...props}>
    <path d="m5.5 8 4.5 4.5L14.5 8" />
  </Icon>
);
export const MoreIcon = (props: Size) => (
  <Icon {...props}>
    <g fill="currentColor" stroke="none">
      <circle cx="4.5" cy="10" r="1.5" />
      <circle cx="10" cy="10" r="1.5" />
      <circle cx="15.5" cy="10" r="1.5" />
    </g>
  </Icon>
);
export const SendIcon = (props: Size) => (
  <Icon {...props}>
    <path d="M3.2 3.6 17 10 3.2 16.4l1.5-5.2L10.5 10 4.7 8.8Z" fill="currentColor" stroke="none" />
  </Icon>
);
export const ReplyIcon = (props: Size) => (
  <Icon {...props}>
    <path d="M16.5 9.3c0 3.2-2.9 5.7-6.5 5.7-.9 0-1.8-.2-2.6-.5L3.8 16l1-3.2a5.2 5.2 0 0 1-1.3-3.5C3.5 6.1 6.4 3.6 10 3.6s6.5 2.5 6.5 5.7Z" />
  </Icon>
);
export const SlashIcon = (props: Size) => (
  <Icon {...props}>
    <rect x="3" y="3" width="14" height="14" rx="3.2" />
    <path d="m11.7 6.5-3.4 7" />
  </Icon>
);
export const AtIcon = (props: Size) => (
  <Icon {...props}>
    <circle cx="10" cy="10" r="3" />
    <path d="M13 7.2v3.7c0 1.3.8 2 1.8 2 1.3 0 2.2-1.2 2.2-3a7 7 0 1 0-2.7 5.5" />
  </Icon>
);
export const CopyIcon = (props: Size) => (
  <Icon {...props}>
    <rect x="7.5" y="7.5" width="9" height="9" rx="1.6" />
    <path d="M12.5 4.8a1.6 1.6 0 0 0-1.3-1.3H5.1a1.6 1.6 0 0 0-1.6 1.6v6.1a1.6 1.6 0 0 0 1.3 1.3" />
  </Icon>
);
export const CheckIcon = (props: Size) => (
  <Icon {...props}>
    <path d="m4.5 10.5 3.7 3.7 7.3-8" />
  </Icon>
);
export const PanelIcon = (props: Size) => (
  <Icon {...props}>
    <rect x="2.8" y="4" width="14.4" height="12" rx="2" />
    <path d="M12.3 4v12" />
  </Icon>
);
export const WarningIcon = (props: Size) => (
  <Icon {...props}>
    <path d="M10 3.6 17.3 16H2.7Z" />
    <path d="M10 8.3v3.4M10 13.9v.1" />
  </Icon>
);
export const MenuIcon = (props: Size) => (
  <Icon {...props}>
    <path d="M3.5 5.5h13M3.5 10h13M3.5 14.5h13" />
  </Icon>
);
export const MoonIcon = (props: Size) => (
  <Icon {...props}>
    <path d="M16.2 11.9A6.6 6.6 0 0 1 8.1 3.8a6.6 6.6 0 1 0 8.1 8.1Z" />
  </Icon>
);
export const SunIcon = (props: Size) => (
  <Icon {...props}>
    <circle cx="10" cy="10" r="3.2" />
    <path d="M10 2.8v1.6M10 15.6v1.6M2.8 10h1.6M15.6 10h1.6M4.9 4.9 6 6M14 14l1.1 1.1M15.1 4.9 14 6M6 14l-1.1 1.1" />
  </Icon>
);
