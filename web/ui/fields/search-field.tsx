import { useLingui } from '@lingui/react/macro'
import { Search, X } from 'lucide-react'
import { type InputHTMLAttributes, type Ref, useRef } from 'react'
import styles from './search-field.module.css'

interface SearchFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'type'> {
  /** The accessible name. */
  label: string
  value: string
  /** For the place of the field in the page. */
  className?: string | undefined
  ref?: Ref<HTMLInputElement>
  onChange(value: string): void
}

/** A search field with a sign at its start and a button that clears it. Accepts paths and names as they are. */
export function SearchField({ label, value, className = '', ref, onChange, ...rest }: SearchFieldProps) {
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  return (
    <div ref={box} className={`${styles.search} ${className}`}>
      <Search size={18} strokeWidth={1.8} aria-hidden />
      <input
        ref={ref}
        type="search"
        aria-label={label}
        value={value}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        {...rest}
      />
      {value && (
        <button
          type="button"
          aria-label={t`Clear`}
          onClick={() => {
            onChange('')
            box.current?.querySelector('input')?.focus()
          }}
        >
          <X size={16} aria-hidden />
        </button>
      )}
    </div>
  )
}
