import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { api } from '#web/api/client.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { type Draft, peopleIn } from './draft.ts'
import styles from './link-form.module.css'

interface PeopleFieldProps {
  draft: Pick<Draft, 'people' | 'person'>
  onChange(part: Partial<Draft>): void
}

/** The most names that the server accepts. */
const most = 100

/** The accounts that can open a link. Enter or a comma adds the typed name. */
export function PeopleField({ draft, onChange }: PeopleFieldProps) {
  const { people, person } = draft
  const { t } = useLingui()
  const id = useId()
  const known = useUserNames()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Backspace' && !person) return onChange({ people: people.slice(0, -1) })
    // An empty field leaves Enter to the form.
    if (event.key !== ',' && !(event.key === 'Enter' && person)) return
    event.preventDefault()
    onChange({ people: peopleIn(draft).slice(0, most), person: '' })
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
        value={person}
        help={t`Usernames of this server. Empty: everyone with the link. They sign in to open it.`}
        onChange={(event) => onChange({ person: event.target.value })}
        onKeyDown={onKeyDown}
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
                onClick={() => onChange({ people: people.filter((one) => one !== name) })}
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
