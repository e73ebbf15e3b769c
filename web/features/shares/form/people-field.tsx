import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { api } from '#web/api/client.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import styles from './link-form.module.css'

interface PeopleFieldProps {
  /** Names of accounts. */
  people: readonly string[]
  onChange(people: string[]): void
}

/** The most names that the server accepts. */
const most = 100

/** The accounts that can open a link. Enter or a comma adds the typed name. */
export function PeopleField({ people, onChange }: PeopleFieldProps) {
  const { t } = useLingui()
  const id = useId()
  const [typed, setTyped] = useState('')
  const known = useUserNames()
  const add = () => {
    const names = typed.split(',').map((name) => name.trim())
    const added = names.filter((name, at) => name && !people.includes(name) && names.indexOf(name) === at)
    if (added.length > 0) onChange([...people, ...added].slice(0, most))
    setTyped('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Backspace' && !typed) return onChange(people.slice(0, -1))
    // An empty field leaves Enter to the form.
    if (event.key !== ',' && !(event.key === 'Enter' && typed)) return
    event.preventDefault()
    add()
  }
  return (
    <div className={styles.people}>
      <Field
        label={t`Only for these people`}
        valuePath="people"
        list={known.length > 0 ? id : undefined}
        maxLength={256}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        help={t`Usernames of this server. Empty: everyone with the link. They sign in to open it.`}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={add}
      />
      <datalist id={id}>
        {known
          .filter((name) => !people.includes(name))
          .map((name) => (
            <option key={name} value={name} />
          ))}
      </datalist>
      {people.length > 0 && (
        <ul aria-label={t`Only for these people`}>
          {people.map((name) => (
            <li key={name}>
              <bdi>{name}</bdi>
              <Button
                variant="quiet"
                icon={X}
                iconOnly
                label={t`Remove ${name}`}
                onClick={() => onChange(people.filter((one) => one !== name))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** The names of all users, as suggestions for administrators. Only they may list users. */
function useUserNames(): readonly string[] {
  const [names, setNames] = useState<readonly string[]>([])
  useEffect(() => {
    if (!session.user?.perm.admin) return
    let isLeft = false
    api('GET /api/users').then(
      (users) => isLeft || setNames(users.map(({ username }) => username)),
      // Without suggestions, names can still be typed.
      () => undefined,
    )
    return () => {
      isLeft = true
    }
  }, [])
  return names
}
