package petrichor.kv;

/** Direction of a scan. */
public enum Direction {
    FORWARD,
    REVERSE
}
