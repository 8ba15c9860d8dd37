package petrichor.kv;

/** Which way a scan walks through its range. */
public enum Direction {
    FORWARD,
    REVERSE
}
