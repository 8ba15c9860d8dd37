package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.Overflow;

/** A queue of blocks in a spill file. Guarded by its gate's lock. */
public final class SpilledBlocks implements Overflow {
    private final SpillFile file;
    private long readFrom;

    public SpilledBlocks(Workspace space) {
        this.file = space.spillFile();
    }

    @Override
    public void add(Block block) {
        file.write(block);
    }

    @Override
    public @Nullable Block poll() {
        if (isEmpty()) {
            return null;
        }
        Block block = file.read(readFrom);
        readFrom = SpillFile.after(readFrom, block);
        return block;
    }

    @Override
    public boolean isEmpty() {
        return readFrom >= file.size();
    }

    @Override
    public void close() {
        readFrom = file.size();
        file.close();
    }
}
