package petrichor.base;

/** The failure of a call that would exceed an app's quota. */
public final class OverQuota {
    private OverQuota() {}

    /**
     * @param quota its name
     * @param limit its value, as operators write it
     */
    public static PetrichorException of(String app, String quota, String limit) {
        return PetrichorException.of(
                ErrorCode.RESOURCE_EXHAUSTED,
                "the app {app} is over its quota {quota}={limit}; use less of it, or ask the"
                        + " operator of the server for more",
                "app",
                app,
                "quota",
                quota,
                "limit",
                limit);
    }

    /** Whether a quota is why a call failed, and not a limit of the server. */
    public static boolean isReasonOf(PetrichorException failure) {
        return failure.code() == ErrorCode.RESOURCE_EXHAUSTED
                && failure.facts().containsKey("quota");
    }
}
