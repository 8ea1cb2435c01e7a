package space

// The limits of a Solver: the number of boxes in a region, and the number of
// steps in one call of Covers or Implies. A condition that needs more boxes is
// not solved, because solving it would take too long.
const (
	maxBoxes      = 64
	maxCoverSteps = 2_000
)

// Solver computes with regions of a Space. All sets, boxes and regions that it
// returns are allocated from its own memory and are valid until Release frees
// them or Reset is called. They must not be changed. A Solver must not be used
// by several goroutines at the same time.
type Solver struct {
	Space  *Space
	Budget Budget // budget of the run; methods that use it say what they return if it is exhausted
	Sets   Sets   // allocates the sets that the solver makes

	constraints []Constraint
	boxes       []Box
	opaque      bool // a predicate was found that sets cannot express
	coverSteps  int  // steps left for the current call of Covers or Implies
}

// NewSolver returns a solver over an empty space. Call Space.Reset and Reset
// before use.
func NewSolver() *Solver {
	return &Solver{
		Space:       &Space{},
		Sets:        Sets{make([]Span, 0, 512)},
		constraints: make([]Constraint, 0, 512),
		boxes:       make([]Box, 0, 256),
	}
}

// Reset frees everything that the solver has allocated and gives it another
// budget. It does not reset the space.
func (s *Solver) Reset(budget Budget) {
	s.Budget, s.opaque, s.coverSteps = budget, false, 0
	s.Release(Mark{Sets{s.Sets.block[:0]}, s.constraints[:0], s.boxes[:0]})
}

// Mark is a position in a solver's memory, to which Release can return.
type Mark struct {
	sets        Sets
	constraints []Constraint
	boxes       []Box
}

// Mark returns the current position in the solver's memory.
func (s *Solver) Mark() Mark { return Mark{s.Sets, s.constraints, s.boxes} }

// Release frees everything that was allocated since mark.
func (s *Solver) Release(mark Mark) {
	s.Sets, s.constraints, s.boxes = mark.sets, mark.constraints, mark.boxes
}
