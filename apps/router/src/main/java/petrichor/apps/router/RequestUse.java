package petrichor.apps.router;

/**
 * Requests of an app's visitors at one router.
 *
 * @param lastMinute that were admitted in the last 60 seconds
 * @param refused since the start, because of the app's quota
 */
public record RequestUse(long lastMinute, long refused) {
    static final RequestUse NONE = new RequestUse(0, 0);
}
