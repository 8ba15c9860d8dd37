package petrichor.jobs.channels.compression;

/** Always chooses the same level. Stateless. */
public record FixedLevel(Level level) implements LevelModel {
    @Override
    public Level next() {
        return level;
    }

    @Override
    public void sent(SentBlock block) {}
}
