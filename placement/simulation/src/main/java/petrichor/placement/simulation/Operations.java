package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The operations of one run, drawn once, so that every layout serves the same. Immutable.
 *
 * @param kind of each operation
 * @param subject user, or hashtag
 * @param starts where the tweets of each operation begin, and where the last ones end
 * @param tweets that operations read, or the one that it writes
 */
record Operations(Operation[] kind, int[] subject, int[] starts, int[] tweets) {
    private static final double PERCENT = 100;

    static Operations draw(SocialData data, int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Reads reads = new Reads(data);
        Operation[] kind = new Operation[count];
        int[] subject = new int[count];
        int[] starts = new int[count + 1];
        int[] tweets = new int[Math.max(Reads.NEWEST, count)];
        int[] timelineOf = new int[data.users()]; // the last operation that read it, plus 1
        for (int k = 0; k < count; k++) {
            kind[k] = drawKind(random);
            int user = random.nextInt(data.users());
            int tweet = random.nextInt(data.tweets());
            subject[k] =
                    switch (kind[k]) {
                        case CONTAINS_HASHTAG -> random.nextInt(data.hashtags());
                        case UPDATE -> data.author(tweet);
                        case FRIENDS_TIMELINE,
                                USER_TIMELINE,
                                MENTIONS,
                                FRIENDSHIP_CREATE,
                                FRIENDSHIP_DESTROY ->
                                user;
                    };
            int start = starts[k];
            if (tweets.length - start < Reads.NEWEST) {
                tweets = Arrays.copyOf(tweets, 2 * tweets.length);
            }
            starts[k + 1] =
                    start
                            + switch (kind[k]) {
                                case FRIENDS_TIMELINE -> {
                                    int former = timelineOf[user] - 1;
                                    timelineOf[user] = k + 1;
                                    if (former < 0) {
                                        yield reads.byFriends(user, tweets, start);
                                    }
                                    int length = starts[former + 1] - starts[former];
                                    System.arraycopy(tweets, starts[former], tweets, start, length);
                                    yield length;
                                }
                                case USER_TIMELINE -> reads.byAuthor(user, tweets, start);
                                case CONTAINS_HASHTAG -> reads.byHashtag(subject[k], tweets, start);
                                case MENTIONS -> reads.byMention(user, tweets, start);
                                case UPDATE -> {
                                    tweets[start] = tweet;
                                    yield 1;
                                }
                                case FRIENDSHIP_CREATE, FRIENDSHIP_DESTROY -> 0;
                            };
        }
        return new Operations(kind, subject, starts, tweets);
    }

    private static Operation drawKind(SplittableRandom random) {
        double left = random.nextDouble() * PERCENT;
        for (Operation operation : Operation.ALL) {
            left -= operation.percent();
            if (left < 0) {
                return operation;
            }
        }
        return Operation.FRIENDSHIP_DESTROY;
    }

    int count() {
        return kind.length;
    }

    /** Where the tweets of an operation begin; those of the one before end there. */
    int start(int k) {
        return starts[k];
    }
}
