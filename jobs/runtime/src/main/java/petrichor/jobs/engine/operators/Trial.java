package petrichor.jobs.engine.operators;

import java.util.List;
import petrichor.jobs.jobgraph.Source;

/** A trial run: reads the beginnings of some splits through a chain that ends in a sample. */
public record Trial(List<Source.Split> splits, ChainedOperator chain, ChainedRangeSample stage) {}
