import { msg } from '@lingui/core/macro'
import { Star, StarOff } from 'lucide-react'
import type { Action, ActionContext } from '#web/actions/action.ts'
import { isStarred } from '#web/shared/marks/stars.ts'
import { setStars } from './star-state.ts'

const keys = ['Mod+Shift+s']

const canStar = ({ chosen, isShare }: ActionContext) => !isShare && chosen.length > 0
const areStarred = ({ chosen }: ActionContext) => chosen.every(({ path }) => isStarred(path))
const pathsOf = ({ chosen }: ActionContext) => chosen.map(({ path }) => path)

/** Adding the selected items to the starred ones, and removing them. */
export const starActions: readonly Action[] = [
  {
    id: 'star',
    label: msg`Add to starred`,
    icon: Star,
    keys,
    visible: (context) => canStar(context) && !areStarred(context),
    run: (context) => setStars(pathsOf(context), true),
  },
  {
    id: 'unstar',
    label: msg`Remove from starred`,
    icon: StarOff,
    keys,
    visible: (context) => canStar(context) && areStarred(context),
    run: (context) => setStars(pathsOf(context), false),
  },
]
