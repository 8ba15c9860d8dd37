package petrichor.server.data;

/** Receives what a start is waiting for. */
public interface StartProgress {
    StartProgress SILENT = _ -> {};

    void waitsFor(String what);
}
