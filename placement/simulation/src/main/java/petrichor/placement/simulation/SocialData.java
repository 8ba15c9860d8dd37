package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.SplittableRandom;
import petrichor.base.PetrichorException;
import petrichor.placement.graph.Graph;

/**
 * The tuples of a social network: a row per user, and tweets in the order of their time. Shares of
 * mentions and hashtags are those that were published for 720,000 tweets (36 % and 5 %).
 */
public final class SocialData {
    static final int NONE = -1;

    private static final double MENTIONS = 0.36;
    private static final double HASHTAGS = 0.05;

    /** Users per hashtag, and the exponents of the popularity of authors and hashtags. */
    private static final int USERS_PER_HASHTAG = 20;

    private static final double HASHTAG_SKEW = 1.0;

    private final Graph follows;
    private final Graph followers;
    private final Graph undirected;
    private final int[] author;
    private final int[] mention;
    private final int[] hashtag;
    private final int hashtags;

    private SocialData(Graph follows, int[] author, int[] mention, int[] hashtag, int hashtags) {
        this.follows = follows;
        this.followers = follows.reversed();
        this.undirected = follows.merged(followers);
        this.author = author;
        this.mention = mention;
        this.hashtag = hashtag;
        this.hashtags = hashtags;
    }

    /**
     * @param tweetsPerUser mean
     * @param activity exponent of the distribution of tweets over authors: 0 is even; at 1, the
     *     most active author writes twice as much as the second
     */
    public static SocialData of(Graph follows, int tweetsPerUser, double activity, long seed) {
        int users = follows.vertices();
        long tweets = (long) users * tweetsPerUser;
        if (tweetsPerUser < 1 || tweets > Integer.MAX_VALUE / 8) {
            throw PetrichorException.invalid(
                    "a simulation has 1 to {max} tweets; users: {users}, tweets per user: {tweets}",
                    "max",
                    Integer.MAX_VALUE / 8,
                    "users",
                    users,
                    "tweets",
                    tweetsPerUser);
        }
        SplittableRandom random = new SplittableRandom(seed);
        int[] author = new int[(int) tweets];
        int[] mention = new int[author.length];
        int[] hashtag = new int[author.length];
        int hashtags = Math.max(1, users / USERS_PER_HASHTAG);
        Popularity authors = new Popularity(users, activity, random.split());
        Popularity topics = new Popularity(hashtags, HASHTAG_SKEW, random.split());
        for (int tweet = 0; tweet < author.length; tweet++) {
            author[tweet] = authors.draw(random);
            int friends = follows.degree(author[tweet]);
            mention[tweet] =
                    friends > 0 && random.nextDouble() < MENTIONS
                            ? follows.target(author[tweet], random.nextInt(friends))
                            : NONE;
            hashtag[tweet] = random.nextDouble() < HASHTAGS ? topics.draw(random) : NONE;
        }
        return new SocialData(follows, author, mention, hashtag, hashtags);
    }

    /** The same tweets, of users who follow others. */
    SocialData with(Graph otherFollows) {
        return new SocialData(otherFollows, author, mention, hashtag, hashtags);
    }

    public Graph follows() {
        return follows;
    }

    Graph followers() {
        return followers;
    }

    /** The follow edges, in both directions. */
    public Graph undirected() {
        return undirected;
    }

    int users() {
        return follows.vertices();
    }

    public int tweets() {
        return author.length;
    }

    int hashtags() {
        return hashtags;
    }

    /** Of each tweet. Not to be changed. */
    int[] authors() {
        return author;
    }

    /** Of each tweet; {@link #NONE} without. Not to be changed. */
    int[] mentions() {
        return mention;
    }

    /** Of each tweet; {@link #NONE} without. Not to be changed. */
    int[] hashtagsOfTweets() {
        return hashtag;
    }

    int author(int tweet) {
        return author[tweet];
    }

    /** {@link #NONE} if the tweet mentions no user. */
    int mention(int tweet) {
        return mention[tweet];
    }

    int hashtag(int tweet) {
        return hashtag[tweet];
    }

    /** Tuples of each user: the row and the tweets. */
    public double[] weights() {
        double[] weights = new double[users()];
        Arrays.fill(weights, 1);
        for (int user : author) {
            weights[user]++;
        }
        return weights;
    }
}
