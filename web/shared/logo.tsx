import { page } from './page.ts'

interface LogoProps {
  /** Pixels. */
  size?: number
}

/** The logo of the instance, or the default one. It is next to the name, therefore screen readers skip it. */
export function Logo({ size = 28 }: LogoProps) {
  if (page.Logo) {
    return <img src={`${page.StaticURL}/img/logo.svg`} height={size} data-part="logo" alt="" />
  }
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path
        fill="var(--ink-on-accent)"
        d="M7 14v-1.5A4.5 4.5 0 0 1 11.5 8h9a4.5 4.5 0 0 1 4.5 4.5V14zM7 16.5h6.2a2.9 2.9 0 0 0 5.6 0H25V22a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2z"
      />
    </svg>
  )
}
