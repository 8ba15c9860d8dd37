package petrichor.kv.deployment;

/** Where it is told, in one line each, what takes time. */
@FunctionalInterface
public interface Progress {
    Progress SILENT = _ -> {};

    void say(String line);
}
