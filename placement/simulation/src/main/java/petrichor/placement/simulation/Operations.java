package petrichor.placement.simulation;

import java.util.SplittableRandom;

/**
 * The operations of one run, drawn once, so that every layout serves the same. Immutable.
 *
 * @param kind of each operation
 * @param subject user, or hashtag
 * @param tweets that it reads, or the one that it writes
 */
record Operations(Operation[] kind, int[] subject, int[][] tweets) {
    private static final int[] NO_TWEETS = {};
    private static final double PERCENT = 100;

    static Operations draw(SocialData data, int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Reads reads = new Reads(data);
        Operation[] kind = new Operation[count];
        int[] subject = new int[count];
        int[][] tweets = new int[count][];
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
            tweets[k] =
                    switch (kind[k]) {
                        case FRIENDS_TIMELINE -> reads.byFriends(user);
                        case USER_TIMELINE -> reads.byAuthor(user);
                        case CONTAINS_HASHTAG -> reads.byHashtag(subject[k]);
                        case MENTIONS -> reads.byMention(user);
                        case UPDATE -> new int[] {tweet};
                        case FRIENDSHIP_CREATE, FRIENDSHIP_DESTROY -> NO_TWEETS;
                    };
        }
        return new Operations(kind, subject, tweets);
    }

    private static Operation drawKind(SplittableRandom random) {
        double left = random.nextDouble() * PERCENT;
        for (Operation operation : Operation.values()) {
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
}
