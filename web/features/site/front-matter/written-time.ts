import { toRfc3339 } from '#web/features/site/local-time.ts'

/** A time in front matter, for an input field. */
interface WrittenTime {
  /** `text` if the time is written in a way that no date field understands. */
  type: 'date' | 'datetime-local' | 'text'
  /** The value of the input field. */
  value: string
  /** The zone as written, as in `+01:00`, or `UTC`; empty without one. */
  zone: string
  /** Writes a value of the input field like the old time: with the same separator, seconds and zone. */
  write(value: string): string
}

/** Reads a time as written in front matter. An empty one is written as RFC 3339 with the zone of this device. */
export function readWrittenTime(written: string): WrittenTime {
  const asWritten = (value: string) => value
  if (written === '')
    return { type: 'datetime-local', value: '', zone: '', write: (value) => toRfc3339(new Date(value)) }
  if (/^\d{4}-\d\d-\d\d$/.test(written)) return { type: 'date', value: written, zone: '', write: asWritten }
  const [, date, between = '', clock, seconds = '', zone = ''] =
    /^(\d{4}-\d\d-\d\d)([Tt]| +)(\d\d:\d\d)((?::\d\d(?:\.\d+)?)?)(\s*(?:[Zz]|[+-]\d\d:?\d\d)?)$/.exec(
      written,
    ) ?? []
  if (!date) return { type: 'text', value: written, zone: '', write: asWritten }
  return {
    type: 'datetime-local',
    value: `${date}T${clock}`,
    zone: zone.trim().replace(/^z$/i, 'UTC'),
    write: (value) => value.slice(0, 16).replace('T', between) + seconds + zone,
  }
}
