/** The requests of the web client of File Browser 2.1.2, one distinct call per line, in the order of first use. */
export const calls = `method	address	carries	accepts	bytes sent
POST	/api/renew	header, cookie	anything	0
POST	/api/login	cookie	anything	54
GET	/api/resources/	header, cookie	anything	0
GET	/api/resources/manyfiles/	header, cookie	anything	0
PUT	/api/users/1	header, cookie	anything	86
GET	/api/resources/Gr%C3%BC%C3%9Fe%20%26%20co/	header, cookie	anything	0
GET	/api/resources/Gr%C3%BC%C3%9Fe%20%26%20co/a%20b%23c%2525%20%2B.txt	header, cookie	anything	0
GET	/api/resources/docs/deep/	header, cookie	anything	0
GET	/api/resources/nothing-here.txt	header, cookie	anything	0
POST	/api/resources/Neuer%20Ordner/?override=false	header, cookie	anything	0
GET	/api/resources/Neuer%20Ordner/	header, cookie	anything	0
GET	/api/resources/docs/	header, cookie	anything	0
POST	/api/resources/docs/fresh%20file.txt?override=false	header, cookie	anything	0
GET	/api/resources/docs/fresh%20file.txt	header, cookie	anything	0
GET	/api/resources/target/	header, cookie	anything	0
POST	/api/resources/target/small%20up.txt?override=false	header, cookie	anything	13
POST	/api/resources/target/big30.bin?override=false	header, cookie	anything	31457280
POST	/api/resources/target/empty-up.txt?override=false	header, cookie	anything	0
POST	/api/resources/hello.txt?override=true	header, cookie	anything	19
PATCH	/api/resources/rename-me.txt?action=rename&destination=%2Frenamed%2520%25C3%25BCn%25C3%25AF.txt	header, cookie	anything	0
PATCH	/api/resources/copy-me.txt?action=copy&destination=%2Ftarget%2Fcopy-me.txt	header, cookie	anything	0
PATCH	/api/resources/renamed%20%C3%BCn%C3%AF.txt?action=rename&destination=%2F50%2525%2520%2526%2520more%252B1%2520%25232.txt	header, cookie	anything	0
PATCH	/api/resources/kopie%20%C3%A4%20%2B.txt?action=copy&destination=%2FGr%25C3%25BC%25C3%259Fe%2520%2526%2520co%2Fkopie%2520%25C3%25A4%2520%252B.txt	header, cookie	anything	0
POST	/api/resources/Gr%C3%BC%C3%9Fe%20%26%20co/auf%20%2541%20%231%20%26%20%28%C3%BC%29%20%2B%27.txt?override=false	header, cookie	anything	8
DELETE	/api/resources/Gr%C3%BC%C3%9Fe%20%26%20co/auf%20%2541%20%231%20%26%20(%C3%BC)%20%2B'.txt	header, cookie	anything	0
PATCH	/api/resources/move-me.txt?action=rename&destination=%2Ftarget%2Fmove-me.txt	header, cookie	anything	0
PATCH	/api/resources/a-drag.txt?action=rename&destination=%2Ftarget%2Fa-drag.txt	header, cookie	anything	0
PATCH	/api/resources/paste-me.txt?action=copy&destination=%2Ftarget%2Fpaste-me.txt	header, cookie	anything	0
DELETE	/api/resources/delete-me.txt	header, cookie	anything	0
DELETE	/api/resources/to-delete/	header, cookie	anything	0
GET	/api/resources/pic.png	header, cookie	anything	0
GET	/api/raw/pic.png?auth=TOKEN&inline=true	cookie	image	0
GET	/api/resources/tone.wav	header, cookie	anything	0
GET	/api/raw/tone.wav?auth=TOKEN&inline=true	cookie	anything	0
GET	/api/resources/clip.mp4	header, cookie	anything	0
GET	/api/raw/clip.mp4?auth=TOKEN&inline=true	cookie	anything	0
GET	/api/raw/clip.vtt?auth=TOKEN&inline=true	cookie	anything	0
GET	/api/resources/paper.pdf	header, cookie	anything	0
GET	/api/raw/paper.pdf?auth=TOKEN&inline=true	cookie	page	0
GET	/api/resources/hello.txt	header, cookie	anything	0
GET	/api/resources/table.csv	header, cookie	anything	0
GET	/api/resources/edit-me.txt	header, cookie	anything	0
PUT	/api/resources/edit-me.txt	header, cookie	anything	36
GET	/api/resources/to-empty.txt	header, cookie	anything	0
PUT	/api/resources/to-empty.txt	header, cookie	anything	0
GET	/api/search/?query=needle	header, cookie	anything	0
GET	/api/resources/docs/deep/er/needle-file.txt	header, cookie	anything	0
GET	/api/search/docs/?query=needle	header, cookie	anything	0
GET	/api/search/?query=type%3Aimage%20pic	header, cookie	anything	0
GET	/api/search/?query=zzz-no-such	header, cookie	anything	0
GET	/api/share/hello.txt	header, cookie	anything	0
POST	/api/share/hello.txt	header, cookie	anything	0
GET	/api/share/wide.png	header, cookie	anything	0
POST	/api/share/wide.png?expires=2&unit=hours	header, cookie	anything	0
GET	/api/public/share/LINK	nothing	anything	0
GET	/api/public/dl/LINK/hello.txt	nothing	page	0
GET	/api/share/pack/	header, cookie	anything	0
POST	/api/share/pack/	header, cookie	anything	0
GET	/api/public/dl/LINK/pack	nothing	page	0
DELETE	/api/share/LINK	header, cookie	anything	0
GET	/api/raw/b-large.bin?auth=TOKEN	cookie	page	0
GET	/api/raw/?files=%2Fhello.txt%2C%2Fpack%2F&algo=zip&auth=TOKEN	cookie	page	0
GET	/api/raw/pack/?algo=zip&auth=TOKEN	cookie	page	0
GET	/api/raw/pack/?algo=tar&auth=TOKEN	cookie	page	0
GET	/api/raw/pack/?algo=targz&auth=TOKEN	cookie	page	0
GET	/api/raw/pack/?algo=tarbz2&auth=TOKEN	cookie	page	0
GET	/api/raw/pack/?algo=tarxz&auth=TOKEN	cookie	page	0
GET	/api/raw/pack/?algo=tarlz4&auth=TOKEN	cookie	page	0
GET	/api/raw/pack/?algo=tarsz&auth=TOKEN	cookie	page	0
GET	/api/raw/pic.png?auth=TOKEN	cookie	page	0
GET	/api/raw/Gr%C3%BC%C3%9Fe%20%26%20co/a%20b%23c%2525%20%2B.txt?auth=TOKEN	cookie	page	0
GET	/api/resources/b-large.bin?checksum=md5	header, cookie	anything	0
GET	/api/resources/b-large.bin?checksum=sha1	header, cookie	anything	0
GET	/api/resources/b-large.bin?checksum=sha256	header, cookie	anything	0
GET	/api/resources/b-large.bin?checksum=sha512	header, cookie	anything	0
GET	/api/settings	header, cookie	anything	0
PUT	/api/settings	header, cookie	anything	869
GET	/api/users	header, cookie	anything	0
POST	/api/users	header, cookie	anything	473
GET	/api/users/2	header, cookie	anything	0
POST	/api/login	nothing	anything	70
GET	/api/resources/	header	anything	0
POST	/api/renew	header	anything	0
PUT	/api/users/2	header, cookie	anything	512
DELETE	/api/users/2	header, cookie	anything	0
POST	/api/signup	nothing	anything	55
WS	/api/command/docs/?auth=TOKEN	cookie	anything	0
`
