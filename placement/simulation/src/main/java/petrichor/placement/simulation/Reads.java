package petrichor.placement.simulation;

/**
 * Which tweets each read returns: the newest {@link #NEWEST} by an author, with a mention, with a
 * hashtag, or by the followees of a user. Immutable.
 */
final class Reads {
    static final int NEWEST = 20;

    private final SocialData data;
    private final Newest byAuthor;
    private final Newest byMention;
    private final Newest byHashtag;

    Reads(SocialData data) {
        this.data = data;
        byAuthor = new Newest(data.users(), data.authors());
        byMention = new Newest(data.users(), data.mentions());
        byHashtag = new Newest(data.hashtags(), data.hashtagsOfTweets());
    }

    /** The tweets of each group, ascending by time; at most {@link #NEWEST} of each are kept. */
    private static final class Newest {
        private final int[] ends;
        private final int[] tweets;

        Newest(int groups, int[] group) {
            int[] sizes = new int[groups];
            for (int own : group) {
                if (own != SocialData.NONE) {
                    sizes[own]++;
                }
            }
            ends = new int[groups + 1];
            for (int k = 0; k < groups; k++) {
                ends[k + 1] = ends[k] + Math.min(NEWEST, sizes[k]);
            }
            tweets = new int[ends[groups]];
            int[] left = new int[groups];
            for (int tweet = group.length - 1; tweet >= 0; tweet--) {
                int own = group[tweet];
                if (own != SocialData.NONE && left[own] < ends[own + 1] - ends[own]) {
                    left[own]++;
                    tweets[ends[own + 1] - left[own]] = tweet;
                }
            }
        }

        int copy(int group, int[] to, int at) {
            int count = ends[group + 1] - ends[group];
            System.arraycopy(tweets, ends[group], to, at, count);
            return count;
        }
    }

    /**
     * @param to where the tweets are written, from {@code at} on
     * @return their number, at most {@link #NEWEST}
     */
    int byAuthor(int user, int[] to, int at) {
        return byAuthor.copy(user, to, at);
    }

    /** As {@link #byAuthor}. */
    int byMention(int user, int[] to, int at) {
        return byMention.copy(user, to, at);
    }

    /** As {@link #byAuthor}. */
    int byHashtag(int hashtag, int[] to, int at) {
        return byHashtag.copy(hashtag, to, at);
    }

    /** The newest of all followees; as {@link #byAuthor}. */
    int byFriends(int user, int[] to, int at) {
        int count = 0; // ascending
        for (int k = 0; k < data.follows().degree(user); k++) {
            int friend = data.follows().target(user, k);
            for (int next = byAuthor.ends[friend + 1] - 1; next >= byAuthor.ends[friend]; next--) {
                int tweet = byAuthor.tweets[next];
                if (count < NEWEST) {
                    int place = at + count++;
                    for (; place > at && to[place - 1] > tweet; place--) {
                        to[place] = to[place - 1];
                    }
                    to[place] = tweet;
                    continue;
                }
                if (tweet <= to[at]) {
                    break;
                }
                int place = at;
                for (; place + 1 < at + NEWEST && to[place + 1] < tweet; place++) {
                    to[place] = to[place + 1];
                }
                to[place] = tweet;
            }
        }
        return count;
    }
}
