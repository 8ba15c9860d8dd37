package petrichor.server;

/** Receives what a start is waiting for. */
interface StartProgress {
    StartProgress SILENT = _ -> {};

    void waitsFor(String what);
}
