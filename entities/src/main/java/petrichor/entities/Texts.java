package petrichor.entities;

/** Names in messages. */
final class Texts {
    /** More of a name than this doesn't help to recognize it. */
    private static final int NAME_CHARS_MAX = 80;

    private Texts() {}

    static String shortened(String name) {
        return name.length() <= NAME_CHARS_MAX ? name : name.substring(0, NAME_CHARS_MAX) + "…";
    }
}
