package petrichor.coordination.testkit;

import java.util.List;
import java.util.Optional;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.coordination.Ledger;

/** A connection that can be cut: nothing gets through then, as if the process were paused. */
public final class DisconnectedLedger implements Ledger {
    private final Ledger under;
    private volatile boolean muted;

    public DisconnectedLedger(Ledger under) {
        this.under = under;
    }

    public void mute() {
        muted = true;
    }

    public void unmute() {
        muted = false;
    }

    private Ledger open() {
        if (muted) {
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "muted by the test");
        }
        return under;
    }

    @Override
    public Optional<Entry> read(Place place) {
        return open().read(place);
    }

    @Override
    public List<String> list(String folder) {
        return open().list(folder);
    }

    @Override
    public boolean change(List<Change> changes) {
        return open().change(changes);
    }

    @Override
    public Optional<String> problem() {
        return muted ? Optional.of("muted") : under.problem();
    }

    @Override
    public void close() {
        under.close();
    }
}
