/** The requests of the web client of File Browser 2.63.23, one distinct call per line, in the order of first use. */
export const calls = `method	address	carries	accepts	bytes sent
POST	/api/renew	header, cookie	anything	0
POST	/api/login	cookie	anything	54
GET	/api/usage/	header, cookie	anything	0
GET	/api/resources/	header, cookie	anything	0
GET	/api/usage/manyfiles/	header, cookie	anything	0
GET	/api/resources/manyfiles/	header, cookie	anything	0
PUT	/api/users/1	header, cookie	anything	86
GET	/api/preview/thumb/wide.png?inline=true&key=TIME	cookie	image	0
GET	/api/preview/thumb/pic.png?inline=true&key=TIME	cookie	image	0
GET	/api/usage/Gr%C3%BC%C3%9Fe%20%26%20co/	header, cookie	anything	0
GET	/api/resources/Gr%C3%BC%C3%9Fe%20%26%20co/	header, cookie	anything	0
GET	/api/usage/Gr%C3%BC%C3%9Fe%20%26%20co/a%20b%23c%2525%20%2B.txt/	header, cookie	anything	0
GET	/api/resources/Gr%C3%BC%C3%9Fe%20%26%20co/a%20b%23c%2525%20%2B.txt	header, cookie	anything	0
GET	/api/usage/docs/deep/	header, cookie	anything	0
GET	/api/resources/docs/deep/	header, cookie	anything	0
GET	/api/usage/nothing-here.txt/	header, cookie	anything	0
GET	/api/resources/nothing-here.txt	header, cookie	anything	0
POST	/api/resources/Neuer%20Ordner/?override=false	header, cookie	anything	0
GET	/api/usage/docs/	header, cookie	anything	0
GET	/api/resources/docs/	header, cookie	anything	0
POST	/api/resources/docs/fresh%20file.txt?override=false	header, cookie	anything	0
GET	/api/usage/docs/fresh%20file.txt/	header, cookie	anything	0
GET	/api/resources/docs/fresh%20file.txt	header, cookie	anything	0
GET	/api/usage/target/	header, cookie	anything	0
GET	/api/resources/target/	header, cookie	anything	0
POST	/api/tus/target/small%20up.txt?override=false	header, cookie	anything	0
PATCH	/api/tus/target/small%20up.txt	header, cookie	anything	13
POST	/api/tus/target/big30.bin?override=false	header, cookie	anything	0
PATCH	/api/tus/target/big30.bin	header, cookie	anything	10485760
POST	/api/tus/target/empty-up.txt?override=false	header, cookie	anything	0
POST	/api/tus/hello.txt?override=true	header, cookie	anything	0
PATCH	/api/tus/hello.txt	header, cookie	anything	19
GET	/api/resources/recursive/target/	header, cookie	anything	0
POST	/api/tus/target/folder/f1.txt?override=false	header, cookie	anything	0
POST	/api/tus/target/folder/inner/f2.txt?override=false	header, cookie	anything	0
PATCH	/api/tus/target/folder/f1.txt	header, cookie	anything	3
PATCH	/api/tus/target/folder/inner/f2.txt	header, cookie	anything	3
POST	/api/tus/target/folder/f1.txt?override=true	header, cookie	anything	0
POST	/api/tus/target/folder/inner/f2.txt?override=true	header, cookie	anything	0
PATCH	/api/resources/rename-me.txt?action=rename&destination=%2Frenamed%2520%25C3%25BCn%25C3%25AF.txt&override=false&rename=false	header, cookie	anything	0
PATCH	/api/resources/copy-me.txt?action=copy&destination=%2Ftarget%2Fcopy-me.txt&override=false&rename=false	header, cookie	anything	0
PATCH	/api/resources/renamed%20%C3%BCn%C3%AF.txt?action=rename&destination=%2F50%2525%2520%2526%2520more%252B1%2520%25232.txt&override=false&rename=false	header, cookie	anything	0
PATCH	/api/resources/50%25%20%26%20more%2B1%20%232.txt?action=rename&destination=%2Fit%27s%2520(a)%2520%255Bb%255D%2520%257Bc%257D%2520~%25C3%259F%253F.txt&override=false&rename=false	header, cookie	anything	0
PATCH	/api/resources/it's%20(a)%20%5Bb%5D%20%7Bc%7D%20~%C3%9F%3F.txt?action=rename&destination=%2Frenamed%2520%25C3%25BCn%25C3%25AF.txt&override=false&rename=false	header, cookie	anything	0
PATCH	/api/resources/kopie%20%C3%A4%20%2B.txt?action=copy&destination=%2FGr%25C3%25BC%25C3%259Fe%2520%2526%2520co%2Fkopie%2520%25C3%25A4%2520%252B.txt&override=false&rename=false	header, cookie	anything	0
PATCH	/api/resources/zug%20%C3%B6.txt?action=rename&destination=%2FGr%25C3%25BC%25C3%259Fe%2520%2526%2520co%2Fzug%2520%25C3%25B6.txt&override=false&rename=false	header, cookie	anything	0
PATCH	/api/resources/Mappe%20%C3%BC%201/?action=copy&destination=%2Ftarget%2FMappe%2520%25C3%25BC%25201&override=false&rename=false	header, cookie	anything	0
POST	/api/tus/Gr%C3%BC%C3%9Fe%20%26%20co/auf%20%2541%20%231%20%26%20%28%C3%BC%29%20%2B%27.txt?override=false	header, cookie	anything	0
PATCH	/api/tus/Gr%C3%BC%C3%9Fe%20%26%20co/auf%20%2541%20%231%20%26%20(%C3%BC)%20%2B'.txt	header, cookie	anything	8
DELETE	/api/resources/Gr%C3%BC%C3%9Fe%20%26%20co/auf%20%2541%20%231%20%26%20(%C3%BC)%20%2B'.txt	header, cookie	anything	0
PATCH	/api/resources/copy-me.txt?action=copy&destination=%2Ftarget%2Fcopy-me.txt&override=false&rename=true	header, cookie	anything	0
PATCH	/api/resources/move-me.txt?action=rename&destination=%2Ftarget%2Fmove-me.txt&override=false&rename=false	header, cookie	anything	0
PATCH	/api/resources/a-drag.txt?action=rename&destination=%2Ftarget%2Fa-drag.txt&override=false&rename=false	header, cookie	anything	0
PATCH	/api/resources/paste-me.txt?action=copy&destination=%2Ftarget%2Fpaste-me.txt&override=false&rename=false	header, cookie	anything	0
DELETE	/api/resources/delete-me.txt	header, cookie	anything	0
DELETE	/api/resources/to-delete/	header, cookie	anything	0
GET	/api/usage/pic.png/	header, cookie	anything	0
GET	/api/resources/pic.png	header, cookie	anything	0
GET	/api/preview/big/pic.png?inline=true&key=TIME	cookie	image	0
GET	/api/usage/tone.wav/	header, cookie	anything	0
GET	/api/resources/tone.wav	header, cookie	anything	0
GET	/api/preview/big/wide.png?inline=true&key=TIME	cookie	page	0
GET	/api/preview/big/pic.png?inline=true&key=TIME	cookie	page	0
GET	/api/raw/tone.wav?inline=true	cookie	anything	0
GET	/api/usage/clip.mp4/	header, cookie	anything	0
GET	/api/resources/clip.mp4	header, cookie	anything	0
GET	/api/subtitle/clip.vtt?inline=true	cookie	anything	0
GET	/api/raw/clip.mp4?inline=true	cookie	anything	0
GET	/api/usage/paper.pdf/	header, cookie	anything	0
GET	/api/resources/paper.pdf	header, cookie	anything	0
GET	/api/raw/paper.pdf?inline=true	cookie	page	0
GET	/api/usage/hello.txt/	header, cookie	anything	0
GET	/api/resources/hello.txt	header, cookie	anything	0
GET	/api/usage/table.csv/	header, cookie	anything	0
GET	/api/resources/table.csv	header, cookie	anything	0
GET	/api/usage/edit-me.txt/	header, cookie	anything	0
GET	/api/resources/edit-me.txt	header, cookie	anything	0
PUT	/api/resources/edit-me.txt	header, cookie	anything	36
GET	/api/usage/to-empty.txt/	header, cookie	anything	0
GET	/api/resources/to-empty.txt	header, cookie	anything	0
PUT	/api/resources/to-empty.txt	header, cookie	anything	0
GET	/api/search/?query=needle	header, cookie	anything	0
GET	/api/usage/docs/deep/er/needle-file.txt/	header, cookie	anything	0
GET	/api/resources/docs/deep/er/needle-file.txt	header, cookie	anything	0
GET	/api/search/docs/?query=needle	header, cookie	anything	0
GET	/api/search/?query=type%3Aimage%20pic	header, cookie	anything	0
GET	/api/search/?query=zzz-no-such	header, cookie	anything	0
GET	/api/share/hello.txt	header, cookie	anything	0
POST	/api/share/hello.txt	header, cookie	anything	2
GET	/api/share/wide.png	header, cookie	anything	0
POST	/api/share/wide.png?expires=2&unit=hours	header, cookie	anything	44
GET	/api/public/share/LINK	nothing	anything	0
GET	/api/public/dl/LINK/hello.txt	nothing	page	0
GET	/api/share/pack/	header, cookie	anything	0
POST	/api/share/pack/	header, cookie	anything	2
GET	/api/public/dl/LINK/	nothing	page	0
GET	/api/public/share/LINK/sub/	nothing	anything	0
GET	/api/public/dl/LINK/sub/two.txt?	nothing	page	0
GET	/api/public/dl/LINK/?files=%2Fsub%2C%2Fone.txt&algo=zip&	nothing	page	0
GET	/api/share/readme.md	header, cookie	anything	0
POST	/api/share/readme.md	header, cookie	anything	57
GET	/api/public/dl/LINK/readme.md?token=TICKET	nothing	page	0
GET	/api/shares	header, cookie	anything	0
GET	/api/users	header, cookie	anything	0
DELETE	/api/share/LINK	header, cookie	anything	0
GET	/api/raw/b-large.bin?	cookie	page	0
GET	/api/raw/?files=%2Fhello.txt%2C%2Fpack%2F&algo=zip&	cookie	page	0
GET	/api/raw/pack/?algo=zip&	cookie	page	0
GET	/api/raw/pack/?algo=tar&	cookie	page	0
GET	/api/raw/pack/?algo=targz&	cookie	page	0
GET	/api/raw/pack/?algo=tarbz2&	cookie	page	0
GET	/api/raw/pack/?algo=tarxz&	cookie	page	0
GET	/api/raw/pack/?algo=tarlz4&	cookie	page	0
GET	/api/raw/pack/?algo=tarsz&	cookie	page	0
GET	/api/raw/pic.png	cookie	page	0
GET	/api/raw/Gr%C3%BC%C3%9Fe%20%26%20co/a%20b%23c%2525%20%2B.txt?	cookie	page	0
GET	/api/resources/b-large.bin?checksum=md5	header, cookie	anything	0
GET	/api/resources/b-large.bin?checksum=sha1	header, cookie	anything	0
GET	/api/resources/b-large.bin?checksum=sha256	header, cookie	anything	0
GET	/api/resources/b-large.bin?checksum=sha512	header, cookie	anything	0
GET	/api/settings	header, cookie	anything	0
PUT	/api/settings	header, cookie	anything	693
POST	/api/users	header, cookie	anything	501
GET	/api/users/2	header, cookie	anything	0
POST	/api/login	nothing	anything	70
PUT	/api/users/2	header, cookie	anything	555
DELETE	/api/users/2	header, cookie	anything	44
POST	/api/signup	nothing	anything	55
WS	/api/command/docs/	cookie	anything	0
`
