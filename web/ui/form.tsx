import { ChevronDown } from 'lucide-react'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useId,
} from 'react'
import field from './field.module.css'
import { describedBy, Help, Refusal } from './field.tsx'
import styles from './form.module.css'

interface CardProps {
  title: string
  /** The name by which the search in the settings finds it. */
  'data-setting'?: string
  children: ReactNode
}

/** A section of a page with its heading. */
export function Card({ title, children, ...rest }: CardProps) {
  const id = useId()
  return (
    <section className={styles.card} aria-labelledby={id} {...rest}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

interface PartProps {
  children: ReactNode
}

/** The row of buttons at the end of a card. */
export function Buttons({ children }: PartProps) {
  return <div className={styles.buttons}>{children}</div>
}

interface HintProps extends PartProps {
  /** The id by which the field refers to it as its description. */
  id?: string
}

/** A sentence that explains a field. */
export function Hint({ id, children }: HintProps) {
  return (
    <p id={id} className={styles.hint}>
      {children}
    </p>
  )
}

/** A warning. */
export function Warning({ children }: PartProps) {
  return (
    <p className={styles.warning} role="note">
      {children}
    </p>
  )
}

interface GroupProps extends PartProps {
  label: string
  /** The name by which the search in the settings finds it. */
  'data-setting'?: string
}

/** Related fields with a common name. */
export function Group({ label, children, ...rest }: GroupProps) {
  return (
    <fieldset className={styles.group} {...rest}>
      <legend>{label}</legend>
      {children}
    </fieldset>
  )
}

interface CheckProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> {
  label: string
  /** A line below the label that explains it. */
  help?: string | undefined
  ref?: Ref<HTMLInputElement>
  onChange(isOn: boolean): void
}

/** A checkbox with its label, and its help line below. */
export function Check({ label, help, onChange, 'aria-describedby': note, ...rest }: CheckProps) {
  const id = useId()
  const described = describedBy(id, { help, note })
  const box = (
    <label className={styles.check}>
      <input
        type="checkbox"
        aria-describedby={described}
        onChange={(event) => onChange(event.target.checked)}
        {...rest}
      />
      <span>{label}</span>
    </label>
  )
  if (!help) return box
  return (
    <div className={styles.explained} data-part="field">
      {box}
      <Help of={id} text={help} />
    </div>
  )
}

interface SelectProps<V extends string> extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  label: string
  choices: readonly (readonly [value: V, label: string])[]
  /** A line below the field that explains it. */
  help?: string | undefined
  onChange(value: V): void
}

/** A native select element with a label and the arrow of our menus. `dir` is also that of the arrow. */
export function Select<V extends string>({ label, choices, help, dir, onChange, ...rest }: SelectProps<V>) {
  const id = useId()
  const choose = (written: string) => {
    const chosen = choices.find(([value]) => value === written)
    if (chosen) onChange(chosen[0])
  }
  return (
    <div className={field.field} data-part="field">
      <label htmlFor={id}>{label}</label>
      <div className={styles.select} dir={dir}>
        <select
          id={id}
          aria-describedby={describedBy(id, { help })}
          onChange={(event) => choose(event.target.value)}
          {...rest}
        >
          {choices.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <ChevronDown size={16} aria-hidden />
      </div>
      <Help of={id} text={help} />
    </div>
  )
}

interface TextAreaProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange'> {
  label: string
  /** The server's name of the value, as used in refusals. */
  at?: string
  /** A line below the field that explains it. */
  help?: string | undefined
  onChange(value: string): void
}

/** A multi-line text input with the server's refusal and its help line below. */
export function TextArea({ label, at, help, onChange, 'aria-describedby': note, ...rest }: TextAreaProps) {
  const id = useId()
  const refused = useContext(Refusal)
  const isRefused = at !== undefined && refused?.field === at
  return (
    <div className={styles.area} data-part="field">
      <textarea
        aria-label={label}
        aria-invalid={isRefused ? true : undefined}
        aria-describedby={describedBy(id, { error: isRefused, help, note })}
        rows={4}
        spellCheck={false}
        className={styles.text}
        onChange={(event) => onChange(event.target.value)}
        {...rest}
      />
      {isRefused && (
        <p id={`${id}e`} role="alert" className={field.error}>
          {refused.sentence}
          <span lang="en" dir="ltr">
            {refused.detail}
          </span>
        </p>
      )}
      <Help of={id} text={help} />
    </div>
  )
}
