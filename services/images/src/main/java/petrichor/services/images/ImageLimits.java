package petrichor.services.images;

import java.time.Duration;

/**
 * Limits that operators can set; the constants are App Engine's.
 *
 * @param runningMax requests that run at once, each on a thread of its own
 * @param waitingMax requests that wait for one of these threads; more are refused
 * @param time that a request may take, including its wait
 */
public record ImageLimits(int runningMax, int waitingMax, Duration time) {
    public static final int INPUT_BYTES_MAX = 32 << 20;
    public static final int OUTPUT_BYTES_MAX = 32 << 20;
    public static final int PIXELS_MAX = 50_000_000;
    public static final int TRANSFORMS_MAX = 10;
    public static final int COMPOSITES_MAX = 16;

    /** Of the result of a resize, and of a canvas. */
    public static final int SIDE_PIXELS_MAX = 4000;

    public static final ImageLimits DEFAULT = new ImageLimits(2, 64, Duration.ofSeconds(30));

    public ImageLimits {
        if (runningMax < 1 || waitingMax < 1 || !time.isPositive()) {
            throw new IllegalArgumentException("at least one image must be possible");
        }
    }
}
