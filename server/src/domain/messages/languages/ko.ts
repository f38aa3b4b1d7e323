import type { Language } from '../language.ts'

/** Korean. No particle follows the name: which one is right would depend on it. */
export const ko: Language = {
  codeLine: '[{app}] 인증번호: {code}.',
  warning: '다른 사람에게 알려주지 마세요.',
  expiry: { other: '{minutes}분 동안 유효합니다.' },
  subject: '{app} 인증번호',
  heading: '{app} 이용을 계속하려면 다음 인증번호를 입력하세요.',
  notYou: '요청하지 않은 인증번호라면 이 이메일을 무시하세요. 인증번호를 다른 사람에게 알려주지 마세요.',
  linkText: '{app}에서 제 전화번호를 인증하고 싶습니다. 참조 번호: {reference}',
}
