package petrichor.cluster;

import petrichor.coordination.Member;

/** Where a database's sequencer is, as far as this server knows. */
sealed interface Owner {
    /** We hold the database's lease. */
    record Here(long epoch) implements Owner {}

    /**
     * Another server has it, or should take it.
     *
     * @param epoch under which it holds it; 0 if it has yet to claim it
     */
    record There(Member member, long epoch) implements Owner {}
}
