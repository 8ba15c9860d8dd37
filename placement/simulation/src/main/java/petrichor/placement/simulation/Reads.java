package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

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
        byAuthor = new Newest(data.users(), data.tweets(), data::author);
        byMention = new Newest(data.users(), data.tweets(), data::mention);
        byHashtag = new Newest(data.hashtags(), data.tweets(), data::hashtag);
    }

    /** The tweets of each group, ascending by time; at most {@link #NEWEST} of each are kept. */
    private static final class Newest {
        private final int[] ends;
        private final int[] tweets;

        Newest(int groups, int count, IntUnaryOperator group) {
            int[] sizes = new int[groups];
            for (int tweet = 0; tweet < count; tweet++) {
                int own = group.applyAsInt(tweet);
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
            for (int tweet = count - 1; tweet >= 0; tweet--) {
                int own = group.applyAsInt(tweet);
                if (own != SocialData.NONE && left[own] < ends[own + 1] - ends[own]) {
                    left[own]++;
                    tweets[ends[own + 1] - left[own]] = tweet;
                }
            }
        }

        int[] of(int group) {
            return Arrays.copyOfRange(tweets, ends[group], ends[group + 1]);
        }
    }

    int[] byAuthor(int user) {
        return byAuthor.of(user);
    }

    int[] byMention(int user) {
        return byMention.of(user);
    }

    int[] byHashtag(int hashtag) {
        return byHashtag.of(hashtag);
    }

    /** The newest of all followees. */
    int[] byFriends(int user) {
        int[] newest = new int[NEWEST]; // ascending; the first ones are still free
        Arrays.fill(newest, SocialData.NONE);
        for (int k = 0; k < data.follows().degree(user); k++) {
            int friend = data.follows().target(user, k);
            for (int at = byAuthor.ends[friend + 1] - 1; at >= byAuthor.ends[friend]; at--) {
                int tweet = byAuthor.tweets[at];
                if (tweet <= newest[0]) {
                    break;
                }
                int place = 0;
                for (; place + 1 < NEWEST && newest[place + 1] < tweet; place++) {
                    newest[place] = newest[place + 1];
                }
                newest[place] = tweet;
            }
        }
        int free = 0;
        while (free < NEWEST && newest[free] == SocialData.NONE) {
            free++;
        }
        return Arrays.copyOfRange(newest, free, NEWEST);
    }
}
