import { type InputHTMLAttributes, type Ref, useId } from 'react'
import styles from './field.module.css'

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  /** Why the value cannot be taken; announced at once. */
  error?: string | undefined
  ref?: Ref<HTMLInputElement>
}

/** A labelled line of text with its error below. */
export function Field({ label, error, ...rest }: FieldProps) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}e` : undefined}
        {...rest}
      />
      {error && (
        <p id={`${id}e`} role="alert" className={styles.error}>
          {error}
        </p>
      )}
    </div>
  )
}
