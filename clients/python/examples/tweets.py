"""Tweets beside their authors, found by mention and day: python3 tweets.py [HOST:PORT]"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from petrichor.tuples import Collections, colocated, ordered, put

FOLLOWED = {"ann": ["bob", "cy"], "bob": ["ann"], "cy": []}


def main(server):
    with Collections(server, project="tweets") as collections:
        for known in collections.list():
            collections.collection(known["name"]).drop()
        users = collections.create("users", ordered())
        tweets = collections.create("tweets", colocated("users"))
        for name, followees in FOLLOWED.items():
            users.put(name, ",".join(followees).encode())
        # A tweet and the counter of its author change together, or not at all.
        for day in range(1, 8):
            for name in FOLLOWED:
                tags = [f"day={day:02}", f"mention={'ann' if day % 2 else 'bob'}"]
                text = f"{name} on day {day}".encode()
                writes = [
                    put(f"{name}/{day:02}", text, tags, collection="tweets"),
                    put(f"{name}.tweets", str(day).encode(), collection="users"),
                ]
                collections.write(writes)
        timeline = [tweet for name in FOLLOWED["ann"] for tweet in tweets.scan(prefix=f"{name}/")]
        print(len(timeline), "tweets of those that ann follows")
        mentions = list(tweets.find(all=["mention=ann", "day=05..07"]))
        print("mentions of ann:", *sorted(tweet.key for tweet in mentions))
        print("deleted", tweets.delete_by_tags(any=["day=01", "day=02"]))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
